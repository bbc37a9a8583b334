import { type Environment, release } from '@weir/core';
import { type AvailableCommandName, type CommandName, commandRow } from './commands/catalogue.ts';
import { findCommand } from './commands/find.ts';
import { notAvailable, refusePlanned } from './flags/availability.ts';
import type { CommandValues } from './flags/catalogue.ts';
import { deprecationWarnings } from './flags/deprecation.ts';
import { type CommandLine, parseCommandLine } from './flags/parse.ts';
import { type Problem, problemLine } from './flags/problem.ts';
import type { Output } from './output.ts';
import { commandHelp, overview } from './reference/help.ts';
import { brokenRule } from './rules/rulebook.ts';

/** The status of a command line that was refused. Everything that went wrong later has status 1. */
const refusedStatus = 2;

type Handlers = {
  readonly [Name in AvailableCommandName]: (values: CommandValues<Name>, output: Output) => number;
};

/** What each available command does. A command that becomes available does not compile until it is here. */
const handlers: Handlers = {
  help(_values, output) {
    output.out(overview());
    return 0;
  },
  version(_values, output) {
    output.out(`weir ${release}\n`);
    return 0;
  },
};

/** Runs one command line and returns the exit status. */
export function run(argv: readonly string[], environment: Environment, output: Output): number {
  const [first = 'help'] = argv;
  if (/^--?(?:h|help)$/.test(first)) return run(['help', ...argv.slice(1)], environment, output);
  if (/^--?version$/.test(first)) return run(['version', ...argv.slice(1)], environment, output);
  // `weir help agent` is `weir agent --help`.
  const [second] = argv.slice(1);
  if (first === 'help' && second !== undefined && !second.startsWith('-')) {
    return run([...argv.slice(1), '--help'], environment, output);
  }

  const found = findCommand([first, ...argv.slice(1)]);
  if ('problem' in found) return refuse('weir', found.problem, output);
  const { command, rest, warnings } = found.value;
  const speaker = `weir ${command}`;
  const parsed = parseCommandLine(command, rest, environment);
  if ('problem' in parsed) return refuse(speaker, parsed.problem, output);
  if (parsed.value.wantsHelp) {
    output.out(commandHelp(command));
    return 0;
  }
  const problem = refusal(command, parsed.value);
  if (problem !== undefined) return refuse(speaker, problem, output);
  for (const warning of [...warnings, ...deprecationWarnings(parsed.value.settings)]) {
    output.err(`${speaker}: warning: ${warning}\n`);
  }
  // Only an available command gets past the refusal above.
  return handlers[command as AvailableCommandName](parsed.value.values, output);
}

/**
 * Why a command line that was understood is not run. What is wrong with what was said comes before what cannot be done
 * yet, and that comes before what was left out.
 */
function refusal(command: CommandName, { values, settings }: CommandLine): Problem | undefined {
  const planned = commandRow(command).status === 'planned' ? { rule: notAvailable } : undefined;
  return (
    brokenRule('forbidden', command, values, settings) ??
    refusePlanned(settings) ??
    planned ??
    brokenRule('missing', command, values, settings)
  );
}

function refuse(speaker: string, problem: Problem, output: Output): number {
  output.err(`${speaker}: ${problemLine(problem)}\n`);
  return refusedStatus;
}
