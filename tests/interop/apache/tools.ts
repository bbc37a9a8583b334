import { spawnSync } from 'node:child_process';

/** Returns the version output of a tool, or undefined if it is not installed. */
type Probe = (tool: string) => string | undefined;

const oldestJava = 17;

/**
 * Why the Java program cannot be built or run here, as the `skip` of a test: names the missing tool, so that a machine
 * without Java shows what was not checked. `false` if everything is available.
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
