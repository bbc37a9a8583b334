import { Failure } from '@weir/core';
import { type AvailableCommandName, type CommandName, commandRow } from './commands/catalogue.ts';
import { findCommand } from './commands/find.ts';
import type { Deps } from './deps.ts';
import { notAvailable, refusePlanned } from './flags/availability.ts';
import { deprecationWarnings } from './flags/deprecation.ts';
import { type CommandLine, checkValues, parseCommandLine } from './flags/parse.ts';
import { stoppedStatus } from './handler.ts';
import { handlers } from './handlers.ts';
import { withLocalApi } from './local-api.ts';
import type { Output } from './output.ts';
import { PointingFailure } from './pointing-failure.ts';
import { escapeControls, type Problem, problemLine } from './problem.ts';
import { commandHelp, formerHelp, fullHelp } from './reference/help.ts';
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
  // `weir help agent` is `weir agent --help`, and `weir help agent -all` is `weir agent --help-all`.
  const [second] = argv.slice(1);
  if (first === 'help' && second !== undefined && !second.startsWith('-')) {
    const wantsAll = /^--?all$/.test(argv.at(-1)!);
    return run(wantsAll ? [...argv.slice(1, -1), '--help-all'] : [...argv.slice(1), '--help'], deps);
  }

  const found = findCommand([first, ...argv.slice(1)]);
  if ('problem' in found) return refuse('weir', found.problem, output);
  const { command, rest, warnings, isFormer } = found.value;
  const speaker = `weir ${isFormer ? command.replace('cli', 'cli-old') : command}`;
  const { flags, commandToRun } = splitAtDashes(command, rest);
  const parsed = parseCommandLine(command, flags, environment);
  if ('problem' in parsed) return refuse(speaker, parsed.problem, output);
  if (parsed.value.help !== 'none') {
    const help = parsed.value.help === 'full' ? fullHelp(command) : commandHelp(command);
    output.out(isFormer ? formerHelp(help) : help);
    return 0;
  }
  const api = withLocalApi(command, parsed.value.values, parsed.value.settings, environment);
  if ('problem' in api) return refuse(speaker, api.problem, output);
  const { values, note } = api.value;
  const line = { ...parsed.value, values };
  const problem = (await checkValues(line)) ?? refusal(command, line);
  if (problem !== undefined) return refuse(speaker, problem, output);
  if (note !== undefined) output.err(`${speaker}: ${note}\n`);
  for (const warning of [...warnings, ...deprecationWarnings(parsed.value.settings)]) {
    output.err(`${speaker}: ${styled('warning:', 'doubtful', output.colours?.err)} ${warning}\n`);
  }
  try {
    // Only an available command passes the check above.
    const handler = await handlers[command as AvailableCommandName]();
    return await handler(values, commandToRun === undefined ? deps : { ...deps, commandToRun });
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    // The user who stopped the command knows why it did not finish.
    if (deps.stop.aborted) return stoppedStatus;
    const isPointing = error instanceof PointingFailure;
    fail(speaker, (isPointing ? pointing : escapeControls)(error.message), output);
    return failedStatus;
  }
}

/** Splits the flags of a server from a command to run beside it, which follows `--`. */
function splitAtDashes(command: CommandName, rest: readonly string[]) {
  const dashes = commandRow(command).runsCommand === true ? rest.indexOf('--') : -1;
  if (dashes === -1) return { flags: rest };
  const commandToRun = rest.slice(dashes + 1);
  // Without a command the dashes are a mistake, which parsing reports.
  return commandToRun.length === 0 ? { flags: rest } : { flags: rest.slice(0, dashes), commandToRun };
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
