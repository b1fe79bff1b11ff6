package emulator

import "github.com/frondml/frond/gpu/driver"

// Binding is how tests call the driver; nil means package driver's own binding. Tests
// of another binding set it before they run anything.
var Binding driver.Binding
