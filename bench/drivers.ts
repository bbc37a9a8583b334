import { MiB } from '@weir/core';
import { atMost, type Benchmark, type Row } from './benchmark.ts';
import type { DriverRival } from './drivers/driver-rival.ts';
import { s3Driver } from './drivers/s3.ts';
import { Lifetime } from './kafka/lifetime.ts';
import { median } from './side-by-side.ts';

/** Drivers with the clients that the makers of their stores offer. */
const drivers: readonly DriverRival[] = [s3Driver];

/** The size of a log file, in the slices of an agent's memory. */
const objectBytes = 4 * MiB;
const sliceBytes = 256 * 1024;
const inFlight = 8;
/** Objects of a turn. They have the same keys in every turn, so that the server's memory does not grow. */
const objectsPerTurn = 48;

/** CPU seconds of this process for each GB that a turn transfers. The server is another process. */
async function cpuPerGb(objects: number, transfer: (key: string) => Promise<unknown>): Promise<number> {
  const start = process.cpuUsage();
  const keys = Array.from({ length: objects }, (_, index) => `object/${index}`);
  await Promise.all(
    Array.from({ length: inFlight }, async () => {
      for (let key = keys.pop(); key !== undefined; key = keys.pop()) await transfer(key);
    }),
  );
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1e6 / ((objects * objectBytes) / 1e9);
}

interface Turn {
  readonly ours: number;
  readonly rival: number;
}

function rowOf({ name, rivalName }: DriverRival, what: string, turns: readonly Turn[]): Row {
  const ratios = turns.map(({ ours, rival }) => ours / rival);
  const [low, high] = [Math.min(...ratios), Math.max(...ratios)].map((ratio) => ratio.toFixed(2));
  const seconds = (side: keyof Turn) => median(turns.map((turn) => turn[side])).toFixed(2);
  return {
    what: `${name}: CPU of ${what} / ${rivalName}`,
    result: median(ratios),
    unit: 'x',
    bar: atMost(1),
    detail: `${seconds('ours')} / ${seconds('rival')} s/GB, ratios ${low} to ${high}`,
  };
}

async function measure(driver: DriverRival, isSmokeTest: boolean, turnCount: number): Promise<Row[]> {
  return Lifetime.during(async (lifetime) => {
    const { ours, rival } = await driver.open(lifetime);
    const content = Buffer.alloc(objectBytes, 'the records of a topic, ');
    const slices = Array.from({ length: objectBytes / sliceBytes }, (_, index) =>
      content.subarray(index * sliceBytes, (index + 1) * sliceBytes),
    );
    const objects = isSmokeTest ? 2 : objectsPerTurn;
    // As pages of the read path are, the memory is taken again.
    const pages = Array.from({ length: inFlight }, () => Buffer.alloc(objectBytes));
    const checked = (bytes: Uint8Array) => {
      if (bytes.length !== objectBytes) throw new Error(`${bytes.length} bytes were read`);
      return bytes;
    };
    const sides = {
      put: {
        ours: (key: string) => ours.put(key, slices),
        rival: (key: string) => rival.put(key, content),
      },
      getRange: {
        async ours(key: string) {
          const page = pages.pop()!;
          checked(await ours.getRange(key, 0, objectBytes, { memory: (bytes) => page.subarray(0, bytes) }));
          pages.push(page);
        },
        rival: async (key: string) => checked(await rival.getRange(key, 0, objectBytes)),
      },
    };
    try {
      const rows: Row[] = [];
      for (const what of ['put', 'getRange'] as const) {
        const turns: Turn[] = [];
        // The first turns warm up, and the order alternates.
        for (let turn = -Math.ceil(turnCount / 4); turn < turnCount; turn++) {
          const figures = { ours: 0, rival: 0 };
          const order = ['ours', 'rival'] as const;
          for (const side of turn % 2 === 0 ? order : order.toReversed()) {
            figures[side] = await cpuPerGb(objects, sides[what][side]);
          }
          if (turn >= 0) turns.push(figures);
        }
        rows.push(rowOf(driver, what, turns));
      }
      return rows;
    } finally {
      rival.close();
      await ours.close();
    }
  });
}

/** The CPU time of drivers, with that of the clients that the makers of their stores offer. */
export const driversBenchmark: Benchmark = {
  name: 'drivers',
  async run({ turns }) {
    const rows: Row[] = [];
    for (const driver of drivers) rows.push(...(await measure(driver, turns <= 1, Math.ceil(turns / 4))));
    return rows;
  },
};
