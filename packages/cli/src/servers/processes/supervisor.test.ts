import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Log, LogFields } from '@weir/core';
import { Failure } from '@weir/core';
import { HandClock } from '@weir/core/testing';
import type { ProcessPlace } from './messages.ts';
import { type ProcessEvents, type ReadyProcess, Supervisor } from './supervisor.ts';

interface Launched {
  readonly place: ProcessPlace;
  readonly events: ProcessEvents;
  readonly signals: string[];
}

function supervise(count: number, stopDeadlineMs = 1_000) {
  const clock = new HandClock();
  const launched: Launched[] = [];
  const announced: (readonly ReadyProcess[])[] = [];
  const lines: { readonly message: string; readonly fields: LogFields }[] = [];
  const note = (message: string, fields: LogFields = {}) => void lines.push({ message, fields });
  const log: Log = { debug: note, info: note, warn: note, error: note, with: () => log };
  const supervisor = new Supervisor({
    places: Array.from({ length: count }, (_, index) => ({
      number: index + 1,
      agentId: `agent-${index + 1}`,
      kafkaPort: 0,
      registryPort: 0,
      tablesPort: 0,
      httpPort: 0,
    })),
    launch(place, events) {
      const signals: string[] = [];
      launched.push({ place, events, signals });
      const pid = launched.length;
      return { pid, stop: () => void signals.push('stop'), kill: () => void signals.push('kill') };
    },
    onReady: (processes) => void announced.push(processes),
    stopDeadlineMs,
    clock,
    log,
  });
  const run = supervisor.run();
  run.catch(() => {});
  return {
    clock,
    supervisor,
    run,
    launched,
    announced,
    lines,
    /** The process that was launched last in a place reports that it is ready. */
    becomeReady(number: number) {
      const { events } = launched.findLast(({ place }) => place.number === number)!;
      events.onReady({ host: 'here', kafkaPort: 9000 + number, httpPort: 8000 + number });
    },
    end(number: number, code: number | null, signal: string | null = null) {
      launched.findLast(({ place }) => place.number === number)!.events.onEnd({ code, signal });
    },
  };
}

test('all processes start at once and are announced once, when the last of them is ready', () => {
  const { launched, announced, becomeReady, end, clock } = supervise(2);
  assert.deepEqual(
    launched.map(({ place }) => place.agentId),
    ['agent-1', 'agent-2'],
  );
  becomeReady(2);
  assert.equal(announced.length, 0);
  becomeReady(1);
  end(1, null, 'SIGKILL');
  clock.advance(250);
  becomeReady(1);
  assert.deepEqual(
    announced.map((processes) => processes.map(({ number, pid, kafkaPort }) => [number, pid, kafkaPort])),
    [
      [
        [1, 1, 9001],
        [2, 2, 9002],
      ],
    ],
  );
});

test('a process that dies is restarted as the same agent on the same ports, and the log has the reason', () => {
  const { launched, lines, becomeReady, end, clock } = supervise(2);
  becomeReady(1);
  becomeReady(2);
  end(2, null, 'SIGKILL');
  assert.equal(launched.length, 2, 'not at once');
  clock.advance(250);
  assert.deepEqual(launched[2]!.place, {
    number: 2,
    agentId: 'agent-2',
    kafkaPort: 9002,
    registryPort: 0,
    tablesPort: 0,
    httpPort: 8002,
  });
  becomeReady(2);
  assert.deepEqual(lines, [
    {
      message: 'lost agent process, restarting it',
      fields: { agentId: 'agent-2', pid: 2, signal: 'SIGKILL', endsInARow: 1, delayMs: 250 },
    },
    {
      message: 'restarted agent process',
      fields: { agentId: 'agent-2', pid: 3, kafkaPort: 9002, httpPort: 8002 },
    },
  ]);
});

test('a crash loop slows down, and a process that served for a minute resets the back-off', () => {
  const { lines, becomeReady, end, clock } = supervise(1);
  const delays = () => lines.flatMap(({ fields }) => fields.delayMs ?? []);
  for (let round = 0; round < 10; round++) {
    becomeReady(1);
    end(1, 1);
    clock.advance(30_000);
  }
  assert.deepEqual(delays(), [250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
  becomeReady(1);
  clock.advance(60_000);
  end(1, 1);
  assert.equal(delays().at(-1), 250);
});

test('a process that cannot start at all ends everything, with its message', async () => {
  const cases: readonly [failure: string | undefined, code: number | null, message: RegExp][] = [
    ['port 9093 is taken; -kafkaPort names another', 1, /^port 9093 is taken; -kafkaPort names another$/],
    [undefined, 7, /^agent process 2 exited with status 7 at startup; see its log above$/],
    [undefined, null, /^agent process 2 failed to start; see its log above$/],
  ];
  for (const [failure, code, message] of cases) {
    const { run, launched, becomeReady, end, clock } = supervise(2);
    becomeReady(1);
    if (failure !== undefined) launched[1]!.events.onFailed(failure);
    end(2, code);
    assert.deepEqual(launched[0]!.signals, ['stop'], 'the others stop');
    end(1, 0);
    await assert.rejects(run, (error) => error instanceof Failure && message.test(error.message));
    clock.advance(60_000);
    assert.equal(launched.length, 2, 'nothing is started again');
  }
});

test('a process that was ready once is restarted whatever it reports, and so is one that was killed before', () => {
  const { launched, lines, becomeReady, end, clock } = supervise(2);
  becomeReady(1);
  end(1, 1);
  clock.advance(250);
  launched[2]!.events.onFailed('port 9001 is taken; -kafkaPort names another');
  end(1, 1);
  clock.advance(500);
  assert.equal(launched.length, 4);
  assert.match(String(lines.at(-1)?.fields.reason), /^port 9001 is taken/);
  end(2, null, 'SIGKILL');
  clock.advance(250);
  assert.equal(launched.length, 5);
});

test('a stopping supervisor stops all processes, restarts none, and kills those that do not end', async () => {
  const { run, supervisor, launched, lines, becomeReady, end, clock } = supervise(3, 1_000);
  for (const number of [1, 2, 3]) becomeReady(number);
  end(3, 1);
  supervisor.stop();
  supervisor.stop();
  end(1, 0);
  clock.advance(999);
  assert.deepEqual(
    launched.map(({ signals }) => signals),
    [['stop'], ['stop'], []],
  );
  clock.advance(1);
  assert.deepEqual(launched[1]!.signals, ['stop', 'kill']);
  assert.equal(lines.at(-1)!.message, 'killed agent process that did not stop in time');
  end(2, null, 'SIGKILL');
  await run;
  clock.advance(60_000);
  assert.equal(launched.length, 3);
  assert.equal(clock.waiting, 0);
});
