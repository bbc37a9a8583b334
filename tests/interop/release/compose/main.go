// Loads a compose file as Docker Compose does: by its schema and its rules, with nothing taken from the environment.
// Prints the project that it is, with all variables replaced.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/compose-spec/compose-go/v2/cli"
)

func main() {
	options, err := cli.NewProjectOptions(os.Args[1:], cli.WithName("weir"))
	if err == nil {
		var project any
		if project, err = options.LoadProject(context.Background()); err == nil {
			err = json.NewEncoder(os.Stdout).Encode(project)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
