import { testPythonClient } from './test-python-client.ts';

/** Quix Streams requests metadata of all topics through librdkafka before it does anything else. */
testPythonClient('quixstreams', 'quix_streams_scenarios.py', ['transform and count with state']);
