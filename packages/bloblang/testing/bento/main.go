package main

import (
	"bufio"
	"encoding/json"
	"os"

	"github.com/warpstreamlabs/bento/public/bloblang"
	_ "github.com/warpstreamlabs/bento/public/components/pure"
	"github.com/warpstreamlabs/bento/public/service"
)

type req struct {
	Mapping string            `json:"mapping"`
	Input   string            `json:"input"`
	Meta    map[string]any    `json:"meta"`
	Files   map[string]string `json:"files"`
}
type resp struct {
	ParseError string         `json:"parse_error,omitempty"`
	Error      string         `json:"error,omitempty"`
	Deleted    bool           `json:"deleted,omitempty"`
	Raw        string         `json:"raw"`
	Meta       map[string]any `json:"meta"`
}

func run(r req) (o resp) {
	env := bloblang.GlobalEnvironment()
	ex, err := env.Parse(r.Mapping)
	if err != nil {
		o.ParseError = err.Error()
		if o.ParseError == "" {
			o.ParseError = "?"
		}
		return
	}
	m := service.NewMessage([]byte(r.Input))
	for k, v := range r.Meta {
		m.MetaSetMut(k, v)
	}
	out, err := m.BloblangQuery(ex)
	if err != nil {
		o.Error = err.Error()
		return
	}
	if out == nil {
		o.Deleted = true
		return
	}
	b, err := out.AsBytes()
	if err != nil {
		o.Error = "bytes: " + err.Error()
		return
	}
	o.Raw = string(b)
	o.Meta = map[string]any{}
	_ = out.MetaWalkMut(func(k string, v any) error {
		if bb, ok := v.([]byte); ok {
			v = string(bb)
		}
		o.Meta[k] = v
		return nil
	})
	return
}

func main() {
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := bufio.NewWriter(os.Stdout)
	for {
		line, err := in.ReadBytes('\n')
		if len(line) > 1 {
			var r req
			if e := json.Unmarshal(line, &r); e != nil {
				panic(e)
			}
			var o resp
			func() {
				defer func() {
					if p := recover(); p != nil {
						o = resp{Error: "panic"}
					}
				}()
				o = run(r)
			}()
			b, e := json.Marshal(o)
			if e != nil {
				b = []byte(`{"error":"marshal"}`)
			}
			out.Write(b)
			out.WriteByte('\n')
			out.Flush()
		}
		if err != nil {
			return
		}
	}
}
