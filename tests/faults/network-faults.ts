import type { Random } from '@weir/core';
import type { Namespaces, Place } from './cluster/namespaces.ts';
import type { Fault, Stage } from './faults.ts';

const between = (random: Random, least: number, most: number) => least + random.below(most - least + 1);

function namespacesOf({ cluster }: Stage): Namespaces {
  return cluster.options.network!.namespaces;
}

/**
 * One of three regions is cut off: from everything, from the other regions, from the database, from the bucket, or in
 * one direction alone. Often it is the one that leads.
 */
export const cutsRegions: Fault = async (stage) => {
  const { cluster, random } = stage;
  const namespaces = namespacesOf(stage);
  const { agents } = cluster.options.network!;
  const leader = random.next() < 0.6 ? await cluster.leader() : undefined;
  const region = agents[leader ?? random.below(agents.length)]!;
  const others = agents.filter((other) => other !== region);
  const from: Readonly<Record<string, readonly Place[]>> = {
    'all else': [...others, 'clients', 'bucket', 'database'],
    'the other regions': others,
    'the database': ['database'],
    'the database and the other regions': [...others, 'database'],
    'the bucket': ['bucket'],
  };
  const names = Object.keys(from);
  const name = names[random.below(names.length)]!;
  const roll = random.next();
  const ms = between(random, 1_000, 10_000);
  const how = roll < 0.6 ? 'both ways' : roll < 0.8 ? 'what it sends' : 'what it is sent';
  cluster.note(`region ${region} is cut off from ${name} for ${ms} ms: ${how}`);
  for (const place of from[name]!) {
    if (roll < 0.8) namespaces.drop(region, place);
    if (roll < 0.6 || roll >= 0.8) namespaces.drop(place, region);
  }
  await cluster.pause(ms);
  namespaces.heal();
  cluster.note('the network is whole');
  await cluster.pause(between(random, 1_000, 4_000));
};

/** Longer than agents hold what they know for stale. */
const [absentMsMin, absentMsMax] = [17_000, 28_000];

/**
 * The network between all agents and the control planes is away for long. Meanwhile agents lose each other, their
 * clients or the bucket, and are killed. Or a single agent is away from the control planes, which end what it has
 * begun.
 */
export const cutsOffControlPlanes: Fault = async (stage) => {
  const { cluster, random } = stage;
  const namespaces = namespacesOf(stage);
  const { agents, controlPlanes } = cluster.options.network!;
  const isAlone = random.next() < 0.25;
  const away = isAlone ? [agents[random.below(agents.length)]!] : agents;
  const cut = () => {
    for (const agent of away) for (const plane of controlPlanes) namespaces.cut(agent, plane);
  };
  // Only then there are sequences of files to go on with.
  const isUp = () => agents.every((_, slot) => cluster.isUp('agent', slot));
  await cluster.until(isUp, 60_000, 'all agents are up');
  await cluster.pause(2_000);
  const ms = between(random, absentMsMin, absentMsMax) + (isAlone ? 15_000 : 0);
  cluster.note(`agents ${away.join(', ')} are cut off from the control planes for ${ms} ms`);
  cut();
  const endMs = cluster.clock.monotonicMs() + ms;
  while (cluster.clock.monotonicMs() < endMs) {
    const [one, other] = [random.below(agents.length), random.below(agents.length)];
    const roll = random.next();
    if (roll < 0.3 && one !== other) {
      cluster.note(`agents ${one} and ${other} are cut off from each other`);
      namespaces.cut(agents[one]!, agents[other]!);
    } else if (roll < 0.5) {
      cluster.note(`agent ${one} is cut off from the bucket`);
      namespaces.cut(agents[one]!, 'bucket');
    } else if (roll < 0.65) {
      cluster.note(`agent ${one} is cut off from clients`);
      namespaces.cut(agents[one]!, 'clients');
    } else if (roll < 0.75 && agents.filter((_, slot) => cluster.isUp('agent', slot)).length > 1) {
      cluster.kill('agent', one, between(random, 0, 3_000));
    } else if (roll < 0.8) {
      cluster.kill('control plane', random.below(controlPlanes.length), between(random, 0, 3_000));
    }
    await cluster.pause(
      Math.min(between(random, 1_000, 6_000), Math.max(0, endMs - cluster.clock.monotonicMs())),
    );
    namespaces.heal();
    cut();
  }
  namespaces.heal();
  cluster.note('the network is whole');
  await cluster.pause(between(random, 2_000, 6_000));
};
