/** URLs and addresses that lead a platform to its own machine, network or cloud (SSRF). None of them may be requested. */

function wordsOf(text: string): string[] {
	return text.trim().split(/\s+/);
}

/** Addresses that are not public, one or two of every kind. */
export const privateAddresses = wordsOf(`
	0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.1 100.100.100.200 100.127.255.255 127.0.0.1 127.255.255.254
	168.63.129.16 169.254.169.254 169.254.170.2 172.16.0.1 172.31.255.255 192.0.0.1 192.0.0.192 192.0.2.1
	192.88.99.1 192.168.0.1 192.168.255.255 198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1 224.0.0.1
	239.255.255.250 240.0.0.1 255.255.255.255 :: ::1 ::127.0.0.1 ::ffff:127.0.0.1 ::ffff:7f00:1 ::ffff:10.0.0.1
	::ffff:0:127.0.0.1 64:ff9b::7f00:1 64:ff9b::a9fe:a9fe 64:ff9b:1::1 100::1 2001::1 2001:0:7f00:1:: 2001:10::1
	2001:20::1 2001:db8::1 2002:7f00:1:: 2002:a9fe:a9fe::1 3fff::1 5f00::1 fc00::1 fd00:ec2::254 fd12:3456:789a::1
	fe80::1 fe80::1%lo febf::1 fec0::1 ff02::1 ff0e::1 ff05::2`);

/** Addresses of the public internet, next to those above; each may be reached. */
export const publicAddresses = wordsOf(`
	1.1.1.1 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0 140.82.121.4 168.63.129.15
	169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 192.0.1.0 192.167.255.255 192.169.0.0 198.17.255.255
	198.20.0.0 223.255.255.255 2001:200::1 2606:4700::1111 2a00:1450:4001::5 2003::1`);

/** The targets of the spellings. */
const targets = wordsOf(`
	127.0.0.1 127.1.2.3 0.0.0.0 10.0.0.1 10.96.0.1 100.64.0.1 100.100.100.200 169.254.169.254 169.254.170.2
	172.16.0.1 172.17.0.1 192.168.1.1 192.0.0.192 198.18.0.1 168.63.129.16 224.0.0.1 240.0.0.1 255.255.255.255`);

const circled = (digits: string) =>
	digits.replaceAll(/\d/g, (digit) => (digit === "0" ? "⓪" : String.fromCodePoint(0x24_60 + Number(digit) - 1)));
const fullWidth = (digits: string) =>
	digits.replaceAll(/\d/g, (digit) => String.fromCodePoint(0xff_10 + Number(digit)));

/** Every way to write an address of IPv4 that a parser of URLs or a C library reads as that address. */
function spellings(address: string): string[] {
	const [a = 0, b = 0, c = 0, d = 0] = address.split(".").map(Number);
	const all = ((a * 256 + b) * 256 + c) * 256 + d;
	const hex = (value: number, digits = 0) => value.toString(16).padStart(digits, "0");
	const high = hex(a * 256 + b, 4);
	const low = hex(c * 256 + d, 4);
	return [
		address,
		`${address}.`,
		String(all),
		`0x${hex(all)}`,
		`0X${hex(all, 12)}`,
		`0${all.toString(8)}`,
		[a, b, c, d].map((part) => `0x${hex(part)}`).join("."),
		[a, b, c, d].map((part) => `0${part.toString(8)}`).join("."),
		`${a}.${b}.${c * 256 + d}`,
		`${a}.${(b * 256 + c) * 256 + d}`,
		`0x${hex(a)}.${b}.0${c.toString(8)}.${d}`,
		circled(address),
		fullWidth(address),
		address.replaceAll(".", "。"),
		address.replaceAll(".", "%2e"),
		`%3${address.slice(0, 1)}${address.slice(1)}`,
		`[::ffff:${address}]`,
		`[::ffff:${high}:${low}]`,
		`[::${address}]`,
		`[::ffff:0:${address}]`,
		`[64:ff9b::${address}]`,
		`[2002:${high}:${low}::1]`,
		`[2001:0:${high}:${low}::1]`,
	];
}

/** Names that are the machine's own, or of a private network. */
const privateNames = wordsOf(`
	localhost LOCALHOST localhost. localhost.localdomain a.localhost ip6-localhost loopback metadata
	metadata.google.internal METADATA.google.internal. instance-data.ec2.internal kubernetes
	kubernetes.default.svc mongo.default.svc.cluster.local nats redis router.lan nas.home printer.local wiki.corp
	x.intranet 1.0.0.127.in-addr.arpa hidden.onion a..example x.test x.invalid host.docker.internal
	gateway.docker.internal lоcalhost ⓛocalhost localhost%2e`);

const wrongForms = [
	"http://server.example/",
	"HTTP://server.example/",
	"ftp://server.example/",
	"file:///etc/passwd",
	"data:,x",
	"gopher://server.example/_x",
	"dict://server.example:11211/",
	"ldap://server.example/",
	"tftp://server.example/",
	"https://user@server.example/",
	"https://user:secret@server.example/",
	"https://:secret@server.example/",
	"https://server.example:8080/",
	"https://server.example:0/",
	"https://server.example:65536/",
	"https://x.io:-1/",
	"https://server.example:1/",
	"https://server.example:10250/",
	"https://server.example:4222/",
	"https://x.io:a/",
	" https://server.example/",
	"https://server.example/ x",
	"https://server.example/\u0085",
	"https://a b.example/",
	"https://[::1",
	"https://::1/",
	"https://[127.0.0.1]/",
	"https://[fe80::1%25lo]/",
	"https://[fe80::1%lo]/",
	"https://256.256.256.256/",
	"https://1.2.3.4.5/",
	"https://0x/",
	"https://a^b.example/",
	"https://a|b.example/",
	`https://server.example/${"x".repeat(2_100)}`,
	`https://${"a.".repeat(1_200)}example/`,
	"https://a%00b.example/",
];

/** The URLs, without the need to resolve a name. */
export const hostileUrls: readonly string[] = [
	...targets.flatMap((target) => spellings(target).map((host) => `https://${host}/latest/meta-data/`)),
	...privateAddresses.filter((address) => address.includes(":")).map((address) => `https://[${address}]/`),
	...privateNames.map((name) => `https://${name}/`),
	...wrongForms,
	"https:\\\\127.0.0.1\\",
	"https:/127.0.0.1/",
	"https:127.0.0.1",
	"https://127.0.0.1#@server.example/",
	"https://127.0.0.1?@server.example/",
	"https://127.0.0.1\\@server.example/",
	"hTTps://127.0.0.1/",
];

/** Public names whose name servers answer with these addresses: the check has to look at all of them. */
export const hostileAnswers: readonly (readonly string[])[] = [
	...privateAddresses.map((address) => [address]),
	...privateAddresses.map((address) => ["140.82.121.4", address]),
	[],
	["no address"],
];
