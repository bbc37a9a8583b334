import { after, test } from 'node:test';
import { missingTool } from '../apache/tools.ts';
import { lastFirst } from '../brokers/weir-process.ts';
import { moveApplications } from './applications.ts';
import { startDestination } from './migrating.ts';

const skip = missingTool();

test('applications of Apache Kafka move from another Weir', { skip, timeout: 400_000 }, async () => {
  const lifetime = lastFirst({ after });
  const [old, to] = [await startDestination(lifetime), await startDestination(lifetime)];
  const migrate = () => to.migrate(old.broker);
  await moveApplications(lifetime, { from: old.broker, to, keepsState: false, migrate });
});
