/** Renders the coding agents as lines of text. Pure. */
import type { WrittenAgent } from "#shared/wire/agents/agent-fields.ts";
import type { Installed } from "#shared/wire/agents/installed-agent.ts";

const titles = ["ID", "VERSION", "LICENCE", "ON DISK", "MEMORY", "TESTED", "STATE"];

export function agentTable(records: readonly WrittenAgent[], installed: (id: string) => Installed | undefined): string {
	const rows = [titles, ...records.map((record) => row(record, installed(record.id)))];
	const widths = titles.map((_, column) => Math.max(...rows.map((cells) => cells[column]?.length ?? 0)));
	return rows
		.map((cells) =>
			cells
				.map((cell, column) => cell.padEnd(widths[column] ?? 0))
				.join("  ")
				.trimEnd(),
		)
		.join("\n");
}

function row({ id, memory_mb, proven, install }: WrittenAgent, found: Installed | undefined): string[] {
	const tested = proven ? "yes" : "no";
	if (!install) return [id, "", "", "", `${memory_mb} MB`, tested, "comes with the platform"];
	const { version, licence, size_mb } = install;
	const state = stateOf(version, found);
	return [id, version, licence, `${found?.size_mb ?? size_mb} MB`, `${memory_mb} MB`, tested, state];
}

function stateOf(version: string, found: Installed | undefined): string {
	if (!found) return "not installed";
	return found.version === version ? "installed" : `installed in version ${found.version}: install it again`;
}
