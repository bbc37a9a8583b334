import { testPythonClient } from './test-python-client.ts';

testPythonClient('kafka-python', 'kafka_python_scenarios.py', [
  'write and read none',
  'write and read gzip',
  'group',
  'subscription by pattern',
  'create, list and delete topics',
  'describe the cluster',
]);
