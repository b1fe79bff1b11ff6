package driver

// symbolDeclareAccess is exported by libraries that stand in for the driver and
// check the accesses of kernels. No real driver has it.
const symbolDeclareAccess = "frond_declare_access"

// ChecksAccess reports whether the library compares what kernels touch with what
// was declared by [Caller.DeclareAccess].
func (d *Driver) ChecksAccess() bool { return d.declareAccess != 0 }

// DeclareAccess says that the next launch on this thread may read, or read and
// write, a range of device memory. A launch for which something was declared may
// touch nothing else. It does nothing unless the library [Driver.ChecksAccess].
func (c *Caller) DeclareAccess(p Pointer, size int64, write bool) {
	if c.driver.declareAccess == 0 {
		return
	}
	flag := uintptr(0)
	if write {
		flag = 1
	}
	c.arguments[0], c.arguments[1], c.arguments[2] = uintptr(p), uintptr(size), flag
	invoke(c.driver.declareAccess, c.arguments[:3])
}
