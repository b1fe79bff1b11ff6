package tensorboard

import (
	"encoding/binary"
	"math"
	"time"
)

// Numbers of the fields of the messages Event, SessionLog, Summary, Summary.Value,
// SummaryMetadata, PluginData, TensorProto and TensorShapeProto (with Dim) of TensorFlow.
const (
	eventWallTime    = 1 // double
	eventStep        = 2 // int64
	eventFileVersion = 3 // string
	eventSummary     = 5 // Summary
	eventSessionLog  = 7 // SessionLog

	sessionLogStatus = 1 // enum
	sessionStart     = 1

	summaryValue = 1 // repeated Summary.Value

	valueTag      = 1 // string
	valueSimple   = 2 // float
	valueTensor   = 8 // TensorProto
	valueMetadata = 9 // SummaryMetadata

	metadataPlugin = 1 // PluginData
	pluginName     = 1 // string

	tensorType   = 1 // enum
	tensorShape  = 2 // TensorShapeProto
	tensorString = 8 // repeated bytes
	typeString   = 7

	shapeDim = 2 // repeated Dim
	dimSize  = 1 // int64
)

// fileVersion is the first thing in every file.
const fileVersion = "brain.Event:2"

// message is an encoded protocol buffer.
type message []byte

// Wire types of fields.
const (
	wireVarint  = 0
	wireFixed64 = 1
	wireBytes   = 2
	wireFixed32 = 5
)

func (m message) key(field, wire int) message {
	return binary.AppendUvarint(m, uint64(field)<<3|uint64(wire))
}

func (m message) integer(field int, x int64) message {
	return binary.AppendUvarint(m.key(field, wireVarint), uint64(x))
}

func (m message) double(field int, x float64) message {
	return binary.LittleEndian.AppendUint64(m.key(field, wireFixed64), math.Float64bits(x))
}

func (m message) float(field int, x float32) message {
	return binary.LittleEndian.AppendUint32(m.key(field, wireFixed32), math.Float32bits(x))
}

// bytes appends a string, bytes or a message.
func (m message) bytes(field int, x []byte) message {
	m = binary.AppendUvarint(m.key(field, wireBytes), uint64(len(x)))
	return append(m, x...)
}

func (m message) text(field int, x string) message { return m.bytes(field, []byte(x)) }

// event begins the event of a step. Fields that are zero are left out, as they are by
// other writers.
func event(now time.Time, step int64) message {
	m := message{}.double(eventWallTime, float64(now.UnixNano())/1e9)
	if step != 0 {
		m = m.integer(eventStep, step)
	}
	return m
}

// scalarValue is a Summary.Value with a number.
func scalarValue(s Scalar) message {
	return message{}.text(valueTag, s.Tag).float(valueSimple, float32(s.Value))
}

// textValue is a Summary.Value with a text, which TensorBoard takes from a list of one
// string.
func textValue(tag, text string) message {
	shape := message{}.bytes(shapeDim, message{}.integer(dimSize, 1))
	tensor := message{}.integer(tensorType, typeString).bytes(tensorShape, shape).text(tensorString, text)
	plugin := message{}.bytes(metadataPlugin, message{}.text(pluginName, "text"))
	return message{}.text(valueTag, tag).bytes(valueTensor, tensor).bytes(valueMetadata, plugin)
}
