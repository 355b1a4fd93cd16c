import { expect } from "chai";
import { pathOfPerson } from "#shared/config/person-path.ts";

const gyp = "/usr/lib/node_modules/npm/node_modules/@npmcli/run-script/lib/node-gyp-bin";
const npms = "/srv/atelier/node_modules/.bin:/srv/node_modules/.bin:/node_modules/.bin";
const own = "/home/ada/bin:/usr/local/bin:/usr/bin";

describe("pathOfPerson()", () => {
	const rows: [what: string, path: string, expected: string][] = [
		["npm run", `${npms}:${gyp}:${own}`, own],
		[
			"npm run inside of another project's npm run",
			`${npms}:${gyp}:/home/ada/app/node_modules/.bin:${gyp}:${own}`,
			own,
		],
		["npx", `/home/ada/.npm/_npx/0f/node_modules/.bin:${npms}:${gyp}:${own}`, own],
		["a script of the person between two of npm", `${npms}:${gyp}:/opt/tool:${npms}:${gyp}:${own}`, `/opt/tool:${own}`],
		["nothing", own, own],
		[
			"nothing, with packages of the person",
			`/home/ada/node_modules/.bin:${own}`,
			`/home/ada/node_modules/.bin:${own}`,
		],
		["a shell that has this project's programs first", `/srv/atelier/node_modules/.bin:${own}`, own],
	];
	for (const [what, path, expected] of rows) {
		it(`takes out what came from ${what}`, () => {
			expect(pathOfPerson(path, "/srv/atelier")).to.equal(expected);
		});
	}
});
