import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Log } from '@weir/core';
import type { CommandValues } from '../../flags/catalogue.ts';
import { passLines } from './lines.ts';
import type { FromProcess, ToProcess } from './messages.ts';
import type { Launch } from './supervisor.ts';

const entry = fileURLToPath(import.meta.resolve('./child.ts'));

interface LaunchOptions {
  readonly log: Log;
  readonly writeLine: (line: string) => void;
  /** How many processes share the machine. */
  readonly count: number;
}

const heapLimit = /^--max-old-space-size=(\d+)$/;

/** The arguments of the runtime for one of several processes: together they get the heap that this one may have. */
export function shareOfHeap(execArgv: readonly string[], count: number): string[] {
  return execArgv.map((argument) => {
    const heapMiB = heapLimit.exec(argument)?.[1];
    return heapMiB === undefined ? argument : `--max-old-space-size=${Math.ceil(Number(heapMiB) / count)}`;
  });
}

/**
 * Starts agent processes. Each has an IPC channel to this process, and ends when the channel breaks, so that none is
 * left behind if this process is killed.
 */
export function launcher(values: CommandValues<'agent'>, { log, writeLine, count }: LaunchOptions): Launch {
  const execArgv = shareOfHeap(process.execArgv, count);
  return (place, events) => {
    // The name is shown in process lists.
    const child = fork(entry, [`agent-${place.number}`], {
      execArgv,
      serialization: 'advanced',
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    const send = (message: ToProcess) => {
      // A process that is about to end does not need the message.
      if (child.connected) child.send(message, () => {});
    };
    const pass = (line: string) => {
      // Log lines name their agent; what the runtime prints about a crash does not.
      if (line.startsWith('{')) writeLine(line);
      else
        log.warn('received output of agent process', { agentId: place.agentId, pid: child.pid, text: line });
    };
    passLines(child.stdout!, pass);
    passLines(child.stderr!, pass);
    child.on('message', (message: FromProcess) => {
      if (message.kind === 'ready') events.onReady(message.ports);
      else events.onFailed(message.message);
    });
    const kill = () => void child.kill('SIGKILL');
    let hasEnded = false;
    const end = (code: number | null, signal: string | null) => {
      if (hasEnded) return;
      hasEnded = true;
      process.off('exit', kill);
      events.onEnd({ code, signal });
    };
    child.on('error', (error) => {
      log.error('failed to start agent process', { agentId: place.agentId, error: error.message });
      if (child.pid === undefined) end(null, null);
    });
    // Not `exit`: the last output is forwarded before the end is reported.
    child.on('close', end);
    send({ kind: 'start', values, place });
    return {
      pid: child.pid,
      stop() {
        send({ kind: 'stop' });
        // A second signal ends this process at once, and must end this child too.
        if (!hasEnded) process.once('exit', kill);
      },
      kill,
    };
  };
}
