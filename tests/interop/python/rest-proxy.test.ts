import { testPythonClient } from './test-python-client.ts';

/** The flows of the REST proxy's documentation, as its users write them in Python. */
testPythonClient(
  'requests',
  'rest_proxy_scenarios.py',
  [
    'produce, subscribe, read, commit, delete',
    'assign, seek, read as bytes',
    'Avro with the registry',
    'topics and partitions',
    'mistakes have the codes of the proxy',
  ],
  'HTTP',
);
