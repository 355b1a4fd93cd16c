/**
 * Copies from the home folder of the person who started the platform what npm and pip need to reach packages: registries,
 * certificates and proxies. Passwords and tokens stay there
 * (docs/decisions/0086-sessions-have-the-persons-tools.md).
 */
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createFile } from "#shared/base/files/replaced-file.ts";
import { readUntrusted } from "#shared/base/files/untrusted-file.ts";

/** The most bytes of a file of settings; a larger one is not copied. */
const maxFileBytes = 262_144;

const npmKey = /^((@[^:=\s]+:)?registry|cafile|ca|ca\[\]|strict-ssl|proxy|https?-proxy|noproxy)$/;
const pipKey = /^(index-url|extra-index-url|cert|proxy|trusted-host|timeout|retries)$/;
/** A token of a registry that the line only refers to. */
const npmReference = /^\/\/[^\s=]+:_(?:authToken|auth|password)$/;

/** A file of settings, in which a line is `key = value`. */
interface SettingsFile {
	/** The places in the home folder of the person, of which the first one that is there counts. */
	readonly from: readonly string[];
	readonly to: string;
	readonly lines: (text: string, variables: ReadonlySet<string>) => string[];
}

const files: readonly SettingsFile[] = [
	{ from: [".npmrc"], to: ".npmrc", lines: npmLines },
	{ from: [".config/pip/pip.conf", ".pip/pip.conf"], to: ".config/pip/pip.conf", lines: pipLines },
];

/**
 * Copies the settings into the home folder of the session. A file that is there already is not changed.
 * @param person The home folder of the person; empty: nobody's.
 * @param variables The names of the variables that the session sets; a line may refer to one of them.
 */
export async function copySettings(person: string, home: string, variables: ReadonlySet<string>): Promise<void> {
	if (person === "") return;
	for (const { from, to, lines } of files) {
		const text = await firstText(from.map((name) => join(person, name)));
		const kept = text === undefined ? [] : lines(text, variables);
		if (kept.length === 0) continue;
		await mkdir(dirname(join(home, to)), { recursive: true, mode: 0o700 });
		await createFile(join(home, to), `${kept.join("\n")}\n`);
	}
}

async function firstText(paths: readonly string[]): Promise<string | undefined> {
	for (const path of paths) {
		const read = await readUntrusted(path, maxFileBytes).catch(() => undefined);
		if (read !== undefined) return String(read);
	}
	return undefined;
}

/** Returns the lines of an `.npmrc` without credentials. */
export function npmLines(text: string, variables: ReadonlySet<string>): string[] {
	return text.split(/\r?\n/).filter((line) => {
		const { key, value } = settingOf(line);
		const [, reference] = /^\$\{(\w+)\}$/.exec(value) ?? [];
		if (reference !== undefined && npmReference.test(key)) return variables.has(reference);
		return npmKey.test(key) && isPublic(value);
	});
}

/** Returns the lines of a `pip.conf` without credentials; the sections stay. */
export function pipLines(text: string): string[] {
	const kept = text.split(/\r?\n/).filter((line) => {
		if (/^\[[\w.-]+\]\s*$/.test(line)) return true;
		const { key, value } = settingOf(line);
		return pipKey.test(key) && value !== "" && isPublic(value);
	});
	return kept.some((line) => !line.startsWith("[")) ? kept : [];
}

function settingOf(line: string): { key: string; value: string } {
	const at = line.indexOf("=");
	if (at === -1 || /^\s*[#;]/.test(line)) return { key: "", value: "" };
	const value = line.slice(at + 1).trim();
	return { key: /^\s/.test(line) ? "" : line.slice(0, at).trim(), value: value.replace(/^(["'])(.*)\1$/, "$2") };
}

/** Whether a value has no user and password of an address, and refers to no variable. */
function isPublic(value: string): boolean {
	return !value.includes("@") && !value.includes("${");
}
