package engine

import (
	"testing"
	"time"
)

func TestShiftTimes(t *testing.T) {
	tests := []struct {
		name, body string
		by         time.Duration
		want       string
	}{
		{"a Time", `{"at":"2031-01-01T00:00:30Z"}`, time.Minute, `{"at":"2031-01-01T00:01:30Z"}`},
		{"back over midnight", `["2031-01-01T00:00:30Z"]`, -time.Minute, `["2030-12-31T23:59:30Z"]`},
		{"a MicroTime keeps its digits", `"2031-01-01T00:00:00.000120Z"`, time.Second, `"2031-01-01T00:00:01.000120Z"`},
		{"less than a second", `"2031-01-01T00:00:00.900000Z"`, 200 * time.Millisecond, `"2031-01-01T00:00:01.100000Z"`},
		{"another zone", `"2031-01-01T00:00:00+02:00"`, time.Hour, `"2031-01-01T01:00:00+02:00"`},
		{"several", `{"a":"2031-01-01T00:00:00Z","b":"2031-01-01T00:00:01Z"}`, time.Second, `{"a":"2031-01-01T00:00:01Z","b":"2031-01-01T00:00:02Z"}`},
		{"within a text", `"since 2031-01-01T00:00:00Z"`, time.Second, `"since 2031-01-01T00:00:00Z"`},
		{"no date", `"2031-13-01T00:00:00Z"`, time.Second, `"2031-13-01T00:00:00Z"`},
		{"nothing", ``, time.Second, ``},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := string(shiftTimes([]byte(test.body), test.by)); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
			if back := string(shiftTimes([]byte(test.want), -test.by)); back != test.body {
				t.Errorf("back again it is %s, want %s", back, test.body)
			}
		})
	}
}
