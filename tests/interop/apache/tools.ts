import { spawnSync } from 'node:child_process';

/** What a tool says about its version, or undefined where there is no such tool. */
type Probe = (tool: string) => string | undefined;

const oldestJava = 17;

/**
 * Why the judge cannot be built or run here, as the `skip` of a test: it names the tool that is missing, so that a
 * machine without Java shows what it has not checked. `false` when everything is there.
 */
export function missingTool(probe: Probe = probeTool): string | false {
  for (const tool of ['java', 'javac']) {
    const answer = probe(tool);
    if (answer === undefined) return `${tool} is not installed`;
    const release = Number(/\d+/.exec(answer)?.[0]);
    if (!(release >= oldestJava)) return `${tool} ${oldestJava} or newer is not installed`;
  }
  return probe('mvn') === undefined ? 'mvn is not installed' : false;
}

function probeTool(tool: string): string | undefined {
  const { status, stdout } = spawnSync(tool, ['--version'], { encoding: 'utf8' });
  return status === 0 ? stdout : undefined;
}
