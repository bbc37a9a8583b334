import { Failure } from '@weir/core';
import { type AvailableCommandName, type CommandName, commandRow } from './commands/catalogue.ts';
import { findCommand } from './commands/find.ts';
import type { Deps } from './deps.ts';
import { notAvailable, refusePlanned } from './flags/availability.ts';
import { deprecationWarnings } from './flags/deprecation.ts';
import { type CommandLine, checkValues, parseCommandLine } from './flags/parse.ts';
import { stoppedStatus } from './handler.ts';
import { handlers } from './handlers.ts';
import type { Output } from './output.ts';
import { PointingFailure } from './pointing-failure.ts';
import { escapeControls, type Problem, problemLine } from './problem.ts';
import { commandHelp, formerHelp } from './reference/help.ts';
import { styled } from './results/style.ts';
import { brokenRule } from './rules/rulebook.ts';

/** The exit status of a rejected command line. */
const refusedStatus = 2;
/** The exit status of a command that failed while it ran. */
const failedStatus = 1;

/** Runs one command line and returns the exit status. */
export async function run(argv: readonly string[], deps: Deps): Promise<number> {
  const { environment, output } = deps;
  const [first = 'help'] = argv;
  if (/^--?(?:h|help)$/.test(first)) return run(['help', ...argv.slice(1)], deps);
  if (/^--?version$/.test(first)) return run(['version', ...argv.slice(1)], deps);
  // `weir help agent` is `weir agent --help`.
  const [second] = argv.slice(1);
  if (first === 'help' && second !== undefined && !second.startsWith('-')) {
    return run([...argv.slice(1), '--help'], deps);
  }

  const found = findCommand([first, ...argv.slice(1)]);
  if ('problem' in found) return refuse('weir', found.problem, output);
  const { command, rest, warnings, isFormer } = found.value;
  const speaker = `weir ${isFormer ? command.replace('cli', 'cli-old') : command}`;
  const parsed = parseCommandLine(command, rest, environment, { isFormer });
  if ('problem' in parsed) return refuse(speaker, parsed.problem, output);
  if (parsed.value.wantsHelp) {
    output.out(isFormer ? formerHelp(command) : commandHelp(command));
    return 0;
  }
  const problem = (await checkValues(parsed.value)) ?? refusal(command, parsed.value);
  if (problem !== undefined) return refuse(speaker, problem, output);
  for (const warning of [...warnings, ...deprecationWarnings(parsed.value.settings)]) {
    output.err(`${speaker}: ${styled('warning:', 'doubtful', output.colours?.err)} ${warning}\n`);
  }
  try {
    // Only an available command passes the check above.
    const handler = await handlers[command as AvailableCommandName]();
    return await handler(parsed.value.values, deps);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    // The user who stopped the command knows why it did not finish.
    if (deps.stop.aborted) return stoppedStatus;
    const isPointing = error instanceof PointingFailure;
    fail(speaker, (isPointing ? pointing : escapeControls)(error.message), output);
    return failedStatus;
  }
}

/**
 * Formats the lines below each other, so that the pointer lines up. Other control characters are escaped, and further
 * lines are indented, so that none can be mistaken for a message of weir.
 */
function pointing(message: string): string {
  return message.split('\n').map(escapeControls).join('\n  ');
}

/**
 * Why a parsed command line is not run. Invalid settings are reported before planned ones, and those before missing
 * ones.
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
  fail(speaker, problemLine(problem), output);
  return refusedStatus;
}

function fail(speaker: string, message: string, output: Output): void {
  output.err(`${styled(`${speaker}:`, 'bad', output.colours?.err)} ${message}\n`);
}
