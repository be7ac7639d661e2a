package lockstep

import "testing"

func TestStablePath(t *testing.T) {
	tests := []struct{ name, path, want string }{
		{"nothing to drop", "/api/v1/pods?watch=true", "/api/v1/pods?watch=true"},
		{"first", "/api/v1/pods?timeoutSeconds=412&watch=true", "/api/v1/pods?watch=true"},
		{"between", "/api/v1/pods?a=b&timeoutSeconds=412&watch=true", "/api/v1/pods?a=b&watch=true"},
		{"last", "/api/v1/pods?watch=true&timeoutSeconds=412", "/api/v1/pods?watch=true"},
		{"alone", "/api/v1/pods?timeoutSeconds=412", "/api/v1/pods"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := stable(test.path); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
