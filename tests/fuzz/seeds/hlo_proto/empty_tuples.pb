
mmain
main
x	parameter"