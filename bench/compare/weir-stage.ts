import { join } from 'node:path';
import { buildJava } from '../../tests/interop/apache/build.ts';
import { missingTool } from '../../tests/interop/apache/tools.ts';
import { Lifetime } from '../kafka/lifetime.ts';
import { openLoad } from '../kafka/load.ts';
import { lightClient } from './light-client.ts';
import type { Sizes } from './load-row.ts';
import type { Bench } from './measure.ts';
import type { SideId } from './side-names.ts';
import type { Side } from './sides.ts';
import { SharedServers, type Stage } from './stage.ts';

/** Starts one server, warm, with Apache's client beside it, and ends both after the work. */
export async function withWeir<Result>(
  id: SideId,
  sizes: Sizes,
  work: (stage: Stage, bench: Bench, side: Side) => Promise<Result>,
): Promise<Result> {
  const missing = missingTool();
  if (missing !== false) throw new Error(`${missing}; install it, because Apache's client makes the load`);
  const classPath = buildJava(join(import.meta.dirname, '../kafka/java'));
  return Lifetime.during(async (lifetime) => {
    const load = openLoad(lifetime, classPath);
    const stage: Stage = {
      lifetime,
      classPath,
      load,
      runTool: load.runTool,
      runLight: lightClient(),
      sizes,
      print: (text) => process.stderr.write(`${text}\n`),
    };
    const { bench, sides, problems } = await SharedServers.start(stage, [id]);
    const side = sides.get(id);
    if (side === undefined) throw new Error(problems.get(id));
    return work(stage, bench, side);
  });
}
