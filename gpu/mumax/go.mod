module github.com/frondml/frond/gpu/mumax

go 1.26.0

require (
	github.com/frondml/frond v0.0.0
	github.com/mumax/3 v0.0.0-20261020084628-54efa12420b2
	github.com/stretchr/testify v1.12.1
)

require (
	github.com/ebitengine/purego v0.11.3 // indirect
	go.yaml.in/yaml/v3 v3.0.5 // indirect
)

replace github.com/frondml/frond => ../..
