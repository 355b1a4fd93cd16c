/**
 * Resolves the names of internal hosts: by the machine's file of hosts, then by its name servers. The system's own resolver would
 * block one of the few threads for files for as long as a name server keeps silent, and a session chooses the names below `.example`.
 */
import { isIP } from "node:net";
import { RememberedAnswers } from "#shared/base/concurrency/remembered-answers.ts";
import { readUntrusted } from "#shared/base/files/untrusted-file.ts";
import { resolvePublicName } from "../outbound/name-resolver.ts";

const hostsFile = "/etc/hosts";
const maxBytes = 1_048_576;
/** A change of the file is seen after this time, in milliseconds. */
const freshMs = 5_000;

const files = new RememberedAnswers<ReadonlyMap<string, string[]>>(freshMs);

/** Returns all addresses of an internal host; none when it has none or when nobody answers. */
export async function resolveInternalName(host: string): Promise<string[]> {
	const listed = (await files.to(hostsFile, readHosts)).get(host);
	return listed ?? resolvePublicName(host);
}

async function readHosts(): Promise<ReadonlyMap<string, string[]>> {
	// A file that cannot be used names nobody, and the name servers are asked.
	const content = await readUntrusted(hostsFile, maxBytes).catch(() => undefined);
	return hostsOf(content?.toString("utf8") ?? "");
}

/** Reads the form of hosts(5): an address and its names, with comments after `#`. */
export function hostsOf(content: string): ReadonlyMap<string, string[]> {
	const hosts = new Map<string, string[]>();
	for (const line of content.split("\n")) {
		const [address = "", ...names] = line.replace(/#.*/, "").trim().split(/\s+/);
		if (isIP(address) === 0) continue;
		for (const name of names) {
			const host = name.toLowerCase();
			hosts.set(host, [...(hosts.get(host) ?? []), address]);
		}
	}
	return hosts;
}
