/** The MCP servers of the definitions that come with Atelier. */
import { expect } from "chai";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { definitionIn } from "#services/integrations/catalogue/definition-file.ts";
import { projectRoot } from "#shared/base/project-root.ts";

const folder = join(projectRoot, "config/integrations");
/** A package of npm with one exact version. */
const exact = /^(@[\w.-]+\/)?[\w.-]+@\d+\.\d+\.\d+$/;

describe("the MCP servers of shipped definitions", () => {
	const definitions = readdirSync(folder).map((file) => {
		const read = definitionIn(file, readFileSync(join(folder, file), "utf8"));
		if ("fault" in read) throw new Error(read.fault);
		return read.definition;
	});
	const servers = definitions.flatMap(({ slug, mcp_server }) => (mcp_server ? [{ slug, ...mcp_server }] : []));

	it("exist", () => expect(servers.map(({ slug }) => slug)).to.include.members(["github", "gitlab", "linear"]));

	for (const { slug, command, args, host, config_key } of servers) {
		it(`of ${slug} is one exact version of a package`, () => {
			expect(command, "another command needs a rule of its own here").to.equal("npx");
			expect(args.filter((word) => !word.startsWith("-"))).to.have.length(1);
			expect(args.at(-1)).to.match(exact);
		});

		it(`of ${slug} says at which host it serves, and which setting can name another one`, () => {
			expect(host).to.match(/^[a-z\d-]+(\.[a-z\d-]+)+$/);
			const own = definitions.find((definition) => definition.slug === slug)?.config_schema?.properties;
			expect(own).to.have.property(config_key);
		});
	}
});
