package driver

// SymbolDeclareAccess is exported by libraries that stand in for the driver and check
// the accesses of kernels: void frond_declare_access(uint64_t address, size_t size,
// int write). No real driver has it.
const SymbolDeclareAccess = "frond_declare_access"

func (c *dynamicCalls) DeclareAccess(p Pointer, size int64, write bool) {
	flag := uintptr(0)
	if write {
		flag = 1
	}
	c.arguments[0], c.arguments[1], c.arguments[2] = uintptr(p), uintptr(size), flag
	invoke(c.library.declareAccess, c.arguments[:3])
}
