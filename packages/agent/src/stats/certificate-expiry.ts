import type { X509Certificate } from 'node:crypto';
import type { ReportedExpiry } from '@weir/cluster';
import { shortName } from '@weir/core';

/** Returns the validity of a certificate, with a name that people recognise. */
export function certificateExpiry(certificate: X509Certificate): ReportedExpiry {
  const { subject, subjectAltName, serialNumber, validFromDate, validToDate } = certificate;
  const commonName = /^CN=(.+)$/m.exec(subject ?? '')?.[1];
  const otherName = /^(?:DNS|IP Address|URI):([^,]+)/.exec(subjectAltName ?? '')?.[1];
  return {
    name: shortName(commonName ?? otherName ?? `serial number ${serialNumber}`),
    issuedMs: validFromDate.getTime(),
    expiresMs: validToDate.getTime(),
  };
}
