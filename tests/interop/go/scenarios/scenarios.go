// Package scenarios runs the scenarios of a client and prints one line of JSON for each:
// {"scenario": ..., "error": ...}.
package scenarios

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"runtime/debug"
	"sync"
	"time"
)

// Scenario is something that applications do with a client. Scenarios run side by side, so each uses names of its own.
type Scenario struct {
	Name string
	Run  func(ctx context.Context, broker string) error
}

const deadline = 60 * time.Second

// Run takes {"broker": ...} as JSON from standard input.
func Run(all []Scenario) {
	var asked struct {
		Broker string `json:"broker"`
	}
	if err := json.NewDecoder(os.Stdin).Decode(&asked); err != nil {
		panic(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()
	var wait sync.WaitGroup
	var printing sync.Mutex
	for _, scenario := range all {
		wait.Go(func() {
			err := outcome(ctx, scenario, asked.Broker)
			printing.Lock()
			defer printing.Unlock()
			var text any
			if err != nil {
				text = err.Error()
			}
			line, _ := json.Marshal(map[string]any{"scenario": scenario.Name, "error": text})
			fmt.Println(string(line))
		})
	}
	wait.Wait()
}

// outcome makes a panic the failure of its scenario alone.
func outcome(ctx context.Context, scenario Scenario, broker string) (err error) {
	defer func() {
		if problem := recover(); problem != nil {
			err = fmt.Errorf("%v\n%s", problem, debug.Stack())
		}
	}()
	return scenario.Run(ctx, broker)
}

// Equal returns an error that shows both values when they differ.
func Equal(what string, actual, expected any) error {
	if reflect.DeepEqual(actual, expected) {
		return nil
	}
	return fmt.Errorf("%s is %v and should be %v", what, actual, expected)
}

// Values returns the values that a scenario writes.
func Values(count int) []string {
	values := make([]string, count)
	for i := range values {
		values[i] = fmt.Sprintf("value-%03d", i)
	}
	return values
}
