import { buildGsServer } from './server.ts';

const { missing } = buildGsServer();
if (missing !== false) {
  process.stderr.write(`${missing}\n`);
  process.exitCode = 1;
}
