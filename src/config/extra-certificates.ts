// Additional trusted certificate authorities, such as the one that a company's proxy signs with.
import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import type { ReadConfigFile } from "./config-file.ts";
import { OperatorError, reasonOf } from "../../packages/kit/operator-error.ts";

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^]*?-----END CERTIFICATE-----/g;

/** The PEM certificates of `outgoing.ca_file`; throws an OperatorError if the file can't be read or holds none. */
export function readExtraCertificates(file: ReadConfigFile | null): readonly string[] {
  const path = file?.config.outgoing?.ca_file;
  if (file === null || path === undefined) return [];
  const errorOf = (message: string) => file.errorAt(["outgoing", "ca_file"], `outgoing.ca_file, ${path}, ${message}.`);
  try {
    const certificates = readFileSync(path, "latin1").match(CERTIFICATE) ?? [];
    if (certificates.length === 0) throw errorOf("contains no certificate (PEM)");
    return certificates.map((certificate) => new X509Certificate(certificate).toString());
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    throw errorOf(`can't be read (${reasonOf(error)})`);
  }
}

/** Makes every connection of this process trust these too, in addition to NODE_EXTRA_CA_CERTS and --use-system-ca. */
export function trust(certificates: readonly string[]): void {
  // Without extra certificates Node loads its own only when it first connects.
  if (certificates.length === 0) return;
  setDefaultCACertificates([...getCACertificates("default"), ...certificates]);
}
