// Runs pipelines by Bento, for comparison: one case of JSON per line, one answer of JSON per line.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	_ "github.com/warpstreamlabs/bento/public/components/avro"
	_ "github.com/warpstreamlabs/bento/public/components/io"
	_ "github.com/warpstreamlabs/bento/public/components/kafka"
	_ "github.com/warpstreamlabs/bento/public/components/pure"
	_ "github.com/warpstreamlabs/bento/public/components/pure/extended"
	"github.com/warpstreamlabs/bento/public/service"
)

type request struct {
	// A whole configuration that is linted, if it is not empty.
	Lint string `json:"lint"`
	// Processors, each as YAML, and resources, through which the batches go.
	Processors []string   `json:"processors"`
	Resources  string     `json:"resources"`
	Batches    [][]string `json:"batches"`
}

type message struct {
	Content string         `json:"content"`
	Meta    map[string]any `json:"meta"`
	Failed  bool           `json:"failed"`
}

type answer struct {
	Lints   []string    `json:"lints"`
	Refused string      `json:"refused,omitempty"`
	Batches [][]message `json:"batches"`
}

func linted(yaml string) (found answer) {
	schema := service.GlobalEnvironment().FullConfigSchema("", "")
	lints, err := schema.NewStreamConfigLinter().SetSkipEnvVarCheck(true).LintYAML([]byte(yaml))
	if err != nil {
		found.Refused = err.Error()
	}
	for _, lint := range lints {
		found.Lints = append(found.Lints, lint.Error())
	}
	return
}

func run(one request) (found answer) {
	builder := service.NewStreamBuilder()
	builder.SetThreads(1)
	for _, yaml := range one.Processors {
		if err := builder.AddProcessorYAML(yaml); err != nil {
			found.Refused = err.Error()
			return
		}
	}
	if one.Resources != "" {
		if err := builder.AddResourcesYAML(one.Resources); err != nil {
			found.Refused = err.Error()
			return
		}
	}
	_ = builder.SetLoggerYAML("level: OFF")
	produce, err := builder.AddBatchProducerFunc()
	if err != nil {
		found.Refused = err.Error()
		return
	}
	var mutex sync.Mutex
	err = builder.AddBatchConsumerFunc(func(_ context.Context, batch service.MessageBatch) error {
		mutex.Lock()
		defer mutex.Unlock()
		messages := []message{}
		for _, part := range batch {
			content, _ := part.AsBytes()
			meta := map[string]any{}
			_ = part.MetaWalkMut(func(key string, value any) error { meta[key] = value; return nil })
			messages = append(messages, message{string(content), meta, part.GetError() != nil})
		}
		found.Batches = append(found.Batches, messages)
		return nil
	})
	if err != nil {
		found.Refused = err.Error()
		return
	}
	stream, err := builder.Build()
	if err != nil {
		found.Refused = err.Error()
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	go func() {
		for _, texts := range one.Batches {
			batch := service.MessageBatch{}
			for _, text := range texts {
				batch = append(batch, service.NewMessage([]byte(text)))
			}
			if produce(ctx, batch) != nil {
				break
			}
		}
		_ = stream.StopWithin(5 * time.Second)
	}()
	_ = stream.Run(ctx)
	mutex.Lock()
	defer mutex.Unlock()
	return
}

// Runs a configuration until its input ends or the process is told to stop.
func runFile(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	builder := service.NewStreamBuilder()
	if err := builder.SetYAML(string(text)); err != nil {
		return err
	}
	_ = builder.SetLoggerYAML("level: ERROR")
	stream, err := builder.Build()
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	if err := stream.Run(ctx); err != nil && ctx.Err() == nil {
		return err
	}
	return nil
}

func main() {
	if len(os.Args) == 3 && os.Args[1] == "run" {
		if err := runFile(os.Args[2]); err != nil {
			panic(err)
		}
		return
	}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 64<<20)
	out := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		var one request
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			panic(err)
		}
		if one.Lint != "" {
			_ = out.Encode(linted(one.Lint))
		} else {
			_ = out.Encode(run(one))
		}
	}
}
