import { join } from 'node:path';
import { after } from 'node:test';
import { startLocal } from '../brokers/weir-process.ts';
import { testScenarios } from '../compatibility/scenario-program.ts';
import { type PythonPackage, pythonWith } from './venv.ts';

/** Tests the scenarios that a Python program runs on a package, against a cluster of its own. */
export function testPythonClient(
  name: PythonPackage,
  program: string,
  scenarios: readonly string[],
  address: 'Kafka' | 'HTTP' = 'Kafka',
): void {
  const { missing, python } = pythonWith(name);
  testScenarios(name, scenarios, missing, async () => {
    const broker = (await startLocal({ after })).address(address);
    return {
      // Without -B, Python would write compiled modules beside the sources.
      program: { command: python!, args: ['-B', join(import.meta.dirname, program)] },
      broker,
    };
  });
}
