/** A process that stores credentials one after the other: `node credential-writer.ts <folder> <prefix> <count>`. */
import { FileCredentials } from "#services/credentials/credential-stores/file.ts";
import { personOf } from "#services/credentials/store/credential-owner.ts";

const [folder = "", prefix = "", count = "0"] = process.argv.slice(2);
const store = new FileCredentials({ default_dir: folder });
for (let index = 0; index < Number(count); index++) {
	const name = `${prefix}-${index}`;
	const data = { token: name };
	await store.put(personOf({ tenant: "default", id: "alice" }), { name, secret_type: "generic", data, metadata: {} });
	console.log(name);
}
