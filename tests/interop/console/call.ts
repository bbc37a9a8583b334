import type { Stage } from './stage.ts';

/** Calls operations on the cluster of a stage, as the person who is signed in. */
export async function callOf(stage: Stage) {
  const page = await stage.open();
  await page.goto(stage.url);
  const clusterId = await stage.clusterId();
  return async (name: string, input: object): Promise<Record<string, unknown>> => {
    const answer = await page.request.post(`${stage.url}/api/v1/${name}`, {
      data: { virtual_cluster_id: clusterId, ...input },
      headers: { origin: stage.url },
    });
    if (!answer.ok()) throw new Error(`${name}: ${await answer.text()}`);
    return (await answer.json()) as Record<string, unknown>;
  };
}
