import assert from 'node:assert/strict';
import { it } from 'node:test';
import { missingTool } from './tools.ts';

const mvn = 'Apache Maven 3.8.7';

const machines: readonly [installed: Readonly<Record<string, string>>, expected: string | false][] = [
  [{}, 'java is not installed'],
  [{ java: 'openjdk 17.0.15 2025-04-15', mvn }, 'javac is not installed'],
  [{ java: 'openjdk 11.0.2 2019-01-15', javac: 'javac 11.0.2', mvn }, 'java 17 or newer is not installed'],
  [{ java: 'openjdk 21 2023-09-19', javac: 'javac 11.0.2', mvn }, 'javac 17 or newer is not installed'],
  [{ java: 'openjdk 17.0.15 2025-04-15', javac: 'javac 17.0.15' }, 'mvn is not installed'],
  [{ java: 'openjdk 25.0.1 2025-10-21', javac: 'javac 25.0.1', mvn }, false],
];

it('names the tool that the Java client lacks', () => {
  for (const [installed, expected] of machines) {
    assert.equal(
      missingTool((tool) => installed[tool]),
      expected,
    );
  }
});
