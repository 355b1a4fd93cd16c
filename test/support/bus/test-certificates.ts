/**
 * Makes certificates for this machine that are valid for a day, without any other program (RFC 5280; DER, ITU-T X.690).
 */
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";

export interface Certificate {
	/** The paths of the files in PEM. */
	readonly cert: string;
	readonly key: string;
}

const tags = { boolean: 0x01, integer: 0x02, bits: 0x03, bytes: 0x04, text: 0x0c, time: 0x17, list: 0x30, set: 0x31 };

/** The contents of the object identifiers. */
const identifiers = {
	ecdsaWithSha256: "2a8648ce3d040302",
	commonName: "550403",
	basicConstraints: "551d13",
	subjectAltName: "551d11",
};

const dayMs = 86_400_000;

/**
 * Makes a certificate.
 * @param authority The certificate that signs it; absent: it is self-signed.
 * @param addresses The addresses of IPv4 of its machines; default: loopback.
 */
export function makeCertificate(
	folder: string,
	name: string,
	authority?: Certificate,
	addresses: readonly string[] = ["127.0.0.1"],
): Certificate {
	const files = { key: join(folder, `${name}.key`), cert: join(folder, `${name}.pem`) };
	const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
	const signer = authority ? createPrivateKey(readFileSync(authority.key)) : privateKey;
	const issuer = authority ? basename(authority.cert, ".pem") : name;
	const body = toBeSigned({ subject: name, issuer, addresses }, privateKey);
	const signature = element(tags.bits, Buffer.of(0), sign("sha256", body, signer));
	writeFileSync(files.key, privateKey.export({ type: "pkcs8", format: "pem" }), { mode: 0o600 });
	writeFileSync(files.cert, pem(list(body, algorithm(), signature)));
	return files;
}

interface Holder {
	readonly subject: string;
	readonly issuer: string;
	readonly addresses: readonly string[];
}

function toBeSigned({ subject, issuer, addresses }: Holder, key: KeyObject): Buffer {
	const serial = element(tags.integer, Buffer.of(1), randomBytes(8));
	const validity = list(time(Date.now() - dayMs), time(Date.now() + dayMs));
	const publicKey = createPublicKey(key).export({ type: "spki", format: "der" });
	const names = list(
		...addresses.map((address) => Buffer.from([0x87, 4, ...address.split(".").map(Number)])),
		element(0x82, Buffer.from("localhost")),
		element(0x82, Buffer.from("server.example")),
	);
	const extensions = list(
		extension(identifiers.basicConstraints, list(element(tags.boolean, Buffer.of(0xff)))),
		extension(identifiers.subjectAltName, names),
	);
	const version3 = element(0xa0, element(tags.integer, Buffer.of(2)));
	return list(
		version3,
		serial,
		algorithm(),
		fullName(issuer),
		validity,
		fullName(subject),
		publicKey,
		element(0xa3, extensions),
	);
}

function algorithm(): Buffer {
	return list(identifier(identifiers.ecdsaWithSha256));
}

function fullName(name: string): Buffer {
	const commonName = list(identifier(identifiers.commonName), element(tags.text, Buffer.from(name)));
	return list(element(tags.set, commonName));
}

function extension(id: string, value: Buffer): Buffer {
	return list(identifier(id), element(tags.bytes, value));
}

/** Formats a time as `YYMMDDhhmmssZ`. */
function time(ms: number): Buffer {
	const digits = new Date(ms).toISOString().replaceAll(/\D/g, "").slice(2, 14);
	return element(tags.time, Buffer.from(`${digits}Z`));
}

function identifier(content: string): Buffer {
	return element(0x06, Buffer.from(content, "hex"));
}

function list(...elements: readonly Buffer[]): Buffer {
	return element(tags.list, ...elements);
}

function element(tag: number, ...parts: readonly Buffer[]): Buffer {
	const content = Buffer.concat(parts);
	const { length } = content;
	const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
	return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

function pem(der: Buffer): string {
	const lines = der.toString("base64").replaceAll(/.{64}(?=.)/g, "$&\n");
	return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`;
}
