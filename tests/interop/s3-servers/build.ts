import { buildVersitygw } from './versitygw.ts';

const { missing } = buildVersitygw();
if (missing !== false) {
  process.stderr.write(`${missing}\n`);
  process.exitCode = 1;
}
