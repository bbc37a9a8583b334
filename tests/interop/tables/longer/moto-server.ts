import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** Listens on a free port of the loopback interface, and prints it. */
const program = `
from moto.server import ThreadedMotoServer
import sys
server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
server.start()
print(server.get_host_and_port()[1], flush=True)
sys.stdin.read()
server.stop()
`;

/** AWS as moto imitates it. */
export class MotoServer {
  readonly uri: string;
  readonly #child: ChildProcess;

  static async start(python: string): Promise<MotoServer> {
    const child = spawn(python, ['-B', '-c', program], { stdio: ['pipe', 'pipe', 'ignore'] });
    const [port] = await once(createInterface({ input: child.stdout }), 'line');
    return new MotoServer(`http://127.0.0.1:${port}`, child);
  }

  private constructor(uri: string, child: ChildProcess) {
    this.uri = uri;
    this.#child = child;
  }

  close(): void {
    this.#child.stdin?.end();
  }
}
