module weir/bench/light-client

go 1.22
