import { type ServerProcess, startServer } from './server-process.ts';

export interface RedisServer {
  readonly url: string;
  /** Ends the server, and starts it again on its files. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a real server of Redis with a password, or returns the reason why there cannot be one on this machine. */
export async function startRedis(): Promise<RedisServer | { readonly missing: string }> {
  const server: ServerProcess | { readonly missing: string } = await startServer({
    name: 'redis-server',
    command: (port, folder) => [
      ...['--port', `${port}`, '--bind', '127.0.0.1', '--dir', folder, '--requirepass', 'secret'],
      ...['--appendonly', 'yes', '--appendfsync', 'always'],
    ],
    ready: /Ready to accept connections/,
  });
  if ('missing' in server) return server;
  return {
    url: `redis://:secret@127.0.0.1:${server.port}/1`,
    async restart() {
      await server.end();
      await server.start();
    },
    stop: () => server.stop(),
  };
}
