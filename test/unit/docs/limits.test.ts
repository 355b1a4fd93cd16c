/** The table of bounds in the page, the places that use its numbers, and the refusals that have to have a row. */
import { expect } from "chai";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Bound, bounds } from "#shared/base/bounds.ts";
import { projectRoot } from "#shared/base/project-root.ts";
import { boundsTable, tablePlace } from "../../../docs/tables/bounds-table.ts";
import { trackedFiles } from "../../support/tracked-files.ts";

const table = "shared/base/bounds.ts";
const textOf = (path: string) => readFileSync(join(projectRoot, path), "utf8");
const rows = Object.entries<Bound>(bounds);

describe("the bounds of the platform", () => {
	const folders = ["shared/*.ts", "services/*.ts", "host/*.ts", "agent/*.ts", "moleculer.config.ts"];
	const sources = new Map(
		trackedFiles(...folders)
			.filter((file) => file !== table)
			.map((file) => [file, textOf(file)]),
	);
	const all = [...sources.values()].join("\n");

	it("are in docs/limits.md as `npm run tables` writes them", () => {
		expect(tablePlace.exec(textOf("docs/limits.md"))?.[0]).to.equal(boundsTable());
	});

	it("are those that the code uses, each of them", () => {
		expect(rows.filter(([name]) => !new RegExp(`\\bbound\\.${name}\\b`).test(all)).map(([name]) => name)).to.deep.equal(
			[],
		);
	});

	it("name codes that the code has", () => {
		const codes = rows.flatMap(([, { beyond }]) => [...beyond.matchAll(/`([A-Z_]+)`/g)].map(([, code = ""]) => code));
		expect(codes).to.include.members(["BUSY", "RATE_LIMIT", "CREDENTIAL_LIMIT", "STORE_OVERLOADED"]);
		expect(codes.filter((code) => !all.includes(`"${code}"`))).to.deep.equal([]);
	});

	it("are the defaults of the keys that they name", () => {
		const page = textOf("docs/configuration.md");
		for (const [name, { key, value }] of rows) {
			if (key === undefined) continue;
			const [, kept] = new RegExp(`^\\| \`${key.replaceAll(".", "\\.")}\` \\|(.*)$`, "m").exec(page) ?? [];
			if (key.includes(".kwargs.")) expect(all, name).to.include(`${key.split(".").at(-1)} = bound.${name}`);
			else expect(kept, name).to.match(new RegExp(`\\b${value}\\b`));
		}
	});

	it("have a row for every refusal of what is too much", () => {
		const refusal =
			/new TooManyRequestsError\(|new \w+Error\([^;]*"(?:[A-Z_]+_LIMIT|[A-Z_]+_FULL|TOO_MANY_[A-Z_]+|TOO_DEEP)"/;
		const refusing = [...sources].filter(([, text]) => refusal.test(text)).map(([file]) => file);
		expect(refusing).to.include.members(["services/stream/chat/chat-bridge.ts", "services/gateway/http/body-bytes.ts"]);
		// Their makers get the number of a row, or of the configuration.
		const given = [
			"shared/base/concurrency/fair-queue.ts",
			"services/credentials/store/credential-set.ts",
			"services/integrations/connections/connection-records.ts",
			"services/pat/record/token-records.ts",
			"services/sessions/record/running-limits.ts",
		];
		const hasRow = (file: string) => given.includes(file) || sources.get(file)?.includes("#shared/base/bounds.ts");
		expect(refusing.filter((file) => !hasRow(file))).to.deep.equal([]);
	});
});
