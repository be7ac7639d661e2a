package vmim

import "encoding/json"

// messageOf takes the message out of a log line in JSON.
func messageOf(line string) string {
	var fields struct{ Msg string }
	if err := json.Unmarshal([]byte(line), &fields); err != nil {
		return line
	}
	return fields.Msg
}
