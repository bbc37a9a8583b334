import { testPythonClient } from './test-python-client.ts';

/** Quix Streams asks librdkafka for all topics before it does anything. */
testPythonClient('quixstreams', 'quix_streams_scenarios.py', ['transform and count with state']);
