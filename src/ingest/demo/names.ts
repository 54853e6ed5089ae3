import type { Random } from './random.ts'

const GIVEN =
  `Ada Ágnes Aiko Amélie Anaïs Åsa Bartłomiej Beatriz Bjørn Çağla Chidi Chloë Daniel Dóra Eero Elif
  Émile Esi Fatima Françoise Freyja Gül Håkon Héctor Ines Ivo Jürgen João Kofi Lars Léa Łucja Maëlle Malik
  María Mihai Naïma Nils Ngozi Núria Olamide Öykü Pádraig Priya Quinn Rūta Sana Siân Søren Tomáš Umut
  Uzoma Vilém Wanjiru Xóchitl Yara Zoë Zsófia`.split(/\s+/)

const FAMILY_START =
  `Amber Barley Candle Copper Cloud Dapple Ember Fern Fiddle Gale Ginger Harbor Inkwell Juniper
  Kettle Lantern Marble Maple Nettle Otter Paper Pebble Quill River Saffron Sparrow Tide Thimble Velvet
  Walnut Willow Winter`.split(/\s+/)

const FAMILY_END =
  `bridge brook feather field fold garden glass light loom meadow moor post spindle stone vane
  whistle wick wood`.split(/\s+/)

/** Words for everyday things, such as cloud bridge, paper boat and moon garden. */
const OTHER_SCRIPTS =
  `雲橋紙舟|茶山月園|風車小燈|くもはし かみぶね|つきのにわ はる|カガミ モリノ|구름다리 종이배|달빛정원 하늘
  |Ёлка Фонарёва|Мятный Ветерок|Перо Чернильнин|Λάμπα Χαρτοβάρκα|Σύννεφος Γέφυρας|قنديل الورق|زورق القمر
  |נר הנייר|גשר העננים|काग़ज़ी नाव|चाँदनी बाग़|โคมกระดาษ เมฆน้อย|Giấy Thuyền Nhỏ|Թղթե Նավակ`
    .split('|')
    .map((name) => name.trim())

const EMOJI = ['🌱', '⚡', '🦊', '🪁', '🧵', '🌊', '❤️', '👩‍💻', '🇵🇹', '🎈', '🏔️', '🫖']

export function inventName(random: Random): string {
  const given = random.pick(GIVEN)
  const start = random.pick(FAMILY_START)
  const family = start + random.pick(FAMILY_END)
  const style = random.next()
  if (style < 0.08) return random.pick(OTHER_SCRIPTS)
  if (style < 0.2) return `${plain(start)}${plain(given)}.eth`
  if (style < 0.25) return `${plain(given)}_${random.whole(1, 99)}`
  if (style < 0.33) return `${given} ${family} ${random.pick(EMOJI)}`
  return `${given} ${family}`
}

export function inventHandle(name: string, random: Random): string {
  const base = plain(name.replace(/\.eth$/, ''))
  return `${base.length < 3 ? 'someone' : base.slice(0, 18)}${random.whole(1, 999)}`
}

function plain(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '')
}
