import { release } from '@weir/core';
import type { DebianPackage } from './debian-base.ts';
import { packageVersion } from './npm-package.ts';
import type { PinnedPackage } from './npm-packages.ts';
import type { Platform } from './platforms.ts';

interface Materials {
  readonly bundled: readonly PinnedPackage[];
  readonly loaded: readonly PinnedPackage[];
  readonly base: readonly DebianPackage[];
  readonly platform: Platform;
  readonly timeSeconds: number;
}

/** What a release consists of, as CycloneDX 1.6: what was bundled, what it loads, Node, and the base of the image. */
export function billOfMaterials({ bundled, loaded, base, platform, timeSeconds }: Materials): string {
  const ofNpm = new Map([...bundled, ...loaded].map((one) => [purlOf(one), one]));
  const components = [
    ...[...ofNpm].map(([purl, { name, version, integrity, license }]) => ({
      type: 'library',
      'bom-ref': purl,
      name,
      version,
      purl,
      hashes: [
        { alg: 'SHA-512', content: Buffer.from(integrity.slice('sha512-'.length), 'base64').toString('hex') },
      ],
      ...(license === undefined ? {} : { licenses: [licenseOf(license)] }),
    })),
    ...base.map(({ name, version, sha256 }) => {
      const purl = `pkg:deb/debian/${name}@${encodeURIComponent(version)}?arch=${platform.debianName}`;
      return {
        type: 'library',
        'bom-ref': purl,
        name,
        version,
        purl,
        hashes: [{ alg: 'SHA-256', content: sha256 }],
        properties: [{ name: 'weir:only-in', value: 'image' }],
      };
    }),
  ].sort((a, b) => (a.purl < b.purl ? -1 : 1));
  const self = `pkg:generic/weir@${packageVersion}`;
  const bill = {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      timestamp: new Date(timeSeconds * 1000).toISOString(),
      component: {
        type: 'application',
        'bom-ref': self,
        name: 'weir',
        version: packageVersion,
        description: `Weir ${release} for ${platform.name}`,
        purl: self,
        licenses: [{ license: { id: 'Apache-2.0' } }],
      },
    },
    components,
    dependencies: [{ ref: self, dependsOn: components.map(({ purl }) => purl) }],
  };
  return `${JSON.stringify(bill, null, 2)}\n`;
}

function purlOf({ name, version }: PinnedPackage): string {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`;
}

/** `MIT` is the id of a license, `(MIT OR Apache-2.0)` an expression. */
function licenseOf(text: string) {
  return /^[\w.+-]+$/.test(text) ? { license: { id: text } } : { expression: text };
}
