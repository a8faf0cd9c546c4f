// The emoji of the picker, each followed by the words that find it.

export interface Emoji {
  sign: string;
  name: string;
}

function read(lines: string): Emoji[] {
  return lines
    .trim()
    .split("\n")
    .map((line) => {
      const [sign = "", ...words] = line.trim().split(" ");
      return { sign, name: words.join(" ") };
    });
}

export const GROUPS: readonly { name: string; emoji: readonly Emoji[] }[] = [
  {
    name: "Faces",
    emoji: read(`
😀 grinning face
😁 grinning face smiling eyes
😂 face tears of joy laugh lol
😃 smiling face open mouth
😄 smiling face open mouth and smiling eyes
😅 smiling face open mouth and cold sweat
😆 smiling face open mouth and tightly closed eyes
😇 smiling face halo
😈 smiling face horns
😉 winking face
😊 smiling face smiling eyes
😋 face savouring delicious food
😌 relieved face
😍 smiling face heart shaped eyes
😎 smiling face sunglasses
😏 smirking face
😐 neutral face
😑 expressionless face
😒 unamused face
😓 face cold sweat
😔 pensive face
😕 confused face
😖 confounded face
😗 kissing face
😘 face throwing a kiss
😙 kissing face smiling eyes
😚 kissing face closed eyes
😛 face stuck out tongue
😜 face stuck out tongue and winking eye
😝 face stuck out tongue and tightly closed eyes
😞 disappointed face
😟 worried face
😠 angry face
😡 pouting face angry
😢 crying face sad
😣 persevering face
😤 face look of triumph
😥 disappointed but relieved face
😦 frowning face open mouth
😧 anguished face
😨 fearful face
😩 weary face
😪 sleepy face
😫 tired face
😬 grimacing face
😭 loudly crying face
😮 face open mouth
😯 hushed face
😰 face open mouth and cold sweat
😱 face screaming in fear
😲 astonished face
😳 flushed face
😴 sleeping face
😵 dizzy face
😶 face without mouth
😷 face medical mask
😸 grinning cat face smiling eyes
😹 cat face tears of joy
😺 smiling cat face open mouth
😻 smiling cat face heart shaped eyes
😼 cat face wry smile
😽 kissing cat face closed eyes
😾 pouting cat face
😿 crying cat face
🙀 weary cat face
🙁 slightly frowning face
🙂 slightly smiling face
🙃 upside down face
🙄 face rolling eyes
🙅 face no good gesture
🙆 face ok gesture
🙇 person bowing deeply
🙈 see no evil monkey
🙉 hear no evil monkey
🙊 speak no evil monkey
🙋 happy person raising one hand
🙌 person raising both hands in celebration
🙍 person frowning
🙎 person pouting face
🙏 person folded hands please thanks pray
🤐 zipper mouth face
🤑 money mouth face
🤒 face thermometer
🤓 nerd face
🤔 thinking face thinking hmm
🤕 face head bandage
🤖 robot face
🤗 hugging face
🤠 face cowboy hat
🤡 clown face
🤢 nauseated face
🤣 rolling on the floor laughing rofl
🤤 drooling face
🤥 lying face
🤦 face palm
🤧 sneezing face
🤨 face one eyebrow raised
🤩 grinning face star eyes
🤪 grinning face one large and one small eye
🤫 face finger covering closed lips
🤬 serious face symbols covering mouth
🤭 smiling face smiling eyes and hand covering mouth
🤮 face open mouth vomiting
🤯 shocked face exploding head
🥰 smiling face smiling eyes and three hearts
🥱 yawning face
🥲 smiling face tear
🥳 face party horn and party hat
🥴 face uneven eyes and wavy mouth
🥵 overheated face
🥶 freezing face
🥺 face pleading eyes
`),
  },
  {
    name: "People",
    emoji: read(`
👊 fisted hand
👋 waving hand
👌 ok hand
👍 thumbs up yes like +1
👎 thumbs down no dislike -1
👏 clapping hands applause
👆 white up pointing backhand index
👇 white down pointing backhand index
👈 white left pointing backhand index
👉 white right pointing backhand index
🖐️ raised hand fingers splayed
🖕 reversed hand middle finger extended
🖖 raised hand part between middle and ring fingers
🤌 pinched fingers
🤍 white heart
🤎 brown heart
🤏 pinching hand
🤘 sign of the horns
🤙 call me hand
🤚 raised back of hand
🤛 left facing fist
🤜 right facing fist
🤝 handshake
🤞 hand index and middle fingers crossed
🤟 i love you hand
👐 open hands
💪 flexed biceps
🧐 face monocle
🧑 adult
🧒 child
🧓 older adult
🧔 bearded person
🧕 person headscarf
🧖 person in steamy room
👦 boy
👧 girl
👨 man
👩 woman
👴 older man
👵 older woman
👶 baby
👸 princess
👻 ghost
👼 baby angel
👽 extraterrestrial alien
👾 alien monster
👿 imp
💀 skull
👀 eyes look
👂 ear
👃 nose
👄 mouth
👅 tongue
`),
  },
  {
    name: "Hearts and signs",
    emoji: read(`
❤️ red heart love
💓 beating heart
💔 broken heart
💕 two hearts
💖 sparkling heart
💗 growing heart
💘 heart arrow
💙 blue heart
💚 green heart
💛 yellow heart
💜 purple heart
💝 heart ribbon
💞 revolving hearts
💟 heart decoration
🖤 black heart
🧡 orange heart
💯 hundred points symbol hundred
💢 anger symbol
💣 bomb
💤 sleeping symbol
💥 collision symbol
💦 splashing sweat symbol
💨 dash symbol
💩 pile of poo
💫 dizzy symbol
💬 speech balloon
💭 thought balloon
✨ sparkles
✅ white heavy check mark
❌ cross mark
❓ black question mark ornament
❔ white question mark ornament
❕ white exclamation mark ornament
❗ heavy exclamation mark symbol
⭐ white medium star
🔥 fire lit
🎉 party popper tada celebrate hooray
🎊 confetti ball
🚨 police cars revolving light
⚡ high voltage
🔔 bell
🔕 bell cancellation stroke
🆕 squared new
🆖 squared ng
🆗 squared ok
♻️ black universal recycling symbol
🔴 large red circle
🔵 large blue circle
🟠 large orange circle
🟡 large yellow circle
🟢 large green circle
🟣 large purple circle
🟤 large brown circle
🟥 large red square
🟦 large blue square
`),
  },
  {
    name: "Food and drink",
    emoji: read(`
🍅 tomato
🍆 aubergine
🍇 grapes
🍈 melon
🍉 watermelon
🍊 tangerine
🍋 lemon
🍌 banana
🍍 pineapple
🍎 red apple
🍏 green apple
🍐 pear
🍑 peach
🍒 cherries
🍓 strawberry
🍔 hamburger
🍕 slice of pizza
🍖 meat on bone
🍗 poultry leg
🍘 rice cracker
🍙 rice ball
🍚 cooked rice
🍛 curry and rice
🍜 steaming bowl
🍝 spaghetti
🍞 bread
🍟 french fries
🍠 roasted sweet potato
🍡 dango
🍢 oden
🍣 sushi
🍤 fried shrimp
🍥 fish cake swirl design
🍦 soft ice cream
🍧 shaved ice
🍨 ice cream
🍩 doughnut
🍪 cookie
🍫 chocolate bar
🍬 candy
🍭 lollipop
🍮 custard
🍯 honey pot
🍰 shortcake
🍱 bento box
🍲 pot of food
🍳 cooking
🍴 fork and knife
🍵 teacup without handle
🍶 sake bottle and cup
🍷 wine glass wine
🍸 cocktail glass
🍹 tropical drink
🍺 beer mug
🍻 clinking beer mugs
🍼 baby bottle
🍽️ fork and knife plate
🍾 bottle popping cork
🍿 popcorn
🥐 croissant
🥑 avocado
🥒 cucumber
🥓 bacon
🥔 potato
🥕 carrot
🥖 baguette bread
🥗 green salad
🥘 shallow pan of food
🥙 stuffed flatbread
🥚 egg
🥛 glass of milk
🥜 peanuts
🥝 kiwifruit
🥞 pancakes
🥟 dumpling
🥠 fortune cookie
🥡 takeout box
🥢 chopsticks
🥣 bowl spoon
🥤 cup straw
🥥 coconut
🥦 broccoli
🥧 pie
🥨 pretzel
🥩 cut of meat
🥪 sandwich
🥫 canned food
🥬 leafy green
🥭 mango
🥮 moon cake
🥯 bagel
☕ hot beverage coffee tea
🧀 cheese wedge
🧁 cupcake
🧂 salt shaker
🧃 beverage box
🧄 garlic
🧅 onion
🧆 falafel
🧇 waffle
🧈 butter
🌭 hot dog
🌮 taco
🌯 burrito
🫐 blueberries
🫑 bell pepper
🫒 olive
🫓 flatbread
🫔 tamale
🫕 fondue
🫖 teapot
`),
  },
  {
    name: "Nature",
    emoji: read(`
🐀 rat
🐁 mouse
🐂 ox
🐃 water buffalo
🐄 cow
🐅 tiger
🐆 leopard
🐇 rabbit
🐈 cat
🐉 dragon
🐊 crocodile
🐋 whale
🐌 snail
🐍 snake
🐎 horse
🐏 ram
🐐 goat
🐑 sheep
🐒 monkey
🐓 rooster
🐔 chicken
🐕 dog
🐖 pig
🐗 boar
🐘 elephant
🐙 octopus
🐚 spiral shell
🐛 bug
🐜 ant
🐝 honeybee
🐞 lady beetle
🐟 fish
🐠 tropical fish
🐡 blowfish
🐢 turtle
🐣 hatching chick
🐤 baby chick
🐥 front facing baby chick
🐦 bird
🐧 penguin
🐨 koala
🐩 poodle
🐪 dromedary camel
🐫 bactrian camel
🐬 dolphin
🐭 mouse face
🐮 cow face
🐯 tiger face
🐰 rabbit face
🐱 cat face
🐲 dragon face
🐳 spouting whale
🐴 horse face
🐵 monkey face
🐶 dog face
🐷 pig face
🐸 frog face
🐹 hamster face
🐺 wolf face
🐻 bear face
🐼 panda face
🐽 pig nose
🐾 paw prints
🦀 crab
🦁 lion face
🦂 scorpion
🦃 turkey
🦄 unicorn face
🦅 eagle
🦆 duck
🦇 bat
🦈 shark
🦉 owl
🦊 fox face
🦋 butterfly
🦌 deer
🦍 gorilla
🦎 lizard
🦏 rhinoceros
🦐 shrimp
🦑 squid
🦒 giraffe face
🦓 zebra face
🦔 hedgehog
🦕 sauropod
🦖 t rex
🦗 cricket
🌱 seedling
🌲 evergreen tree
🌳 deciduous tree
🌴 palm tree
🌵 cactus
🌶️ hot pepper
🌷 tulip
🌸 cherry blossom
🌹 rose
🌺 hibiscus
🌻 sunflower
🌼 blossom
🌽 ear of maize
🌾 ear of rice
🌿 herb
🍀 four leaf clover
🍁 maple leaf
🍂 fallen leaf
🍃 leaf fluttering in wind
🍄 mushroom
🌈 rainbow
🌊 water wave
🌙 crescent moon
🌚 new moon face
🌛 first quarter moon face
🌜 last quarter moon face
🌝 full moon face
🌞 sun face
🌟 glowing star
☀️ black sun rays
☁️ cloud
☔ umbrella rain drops
⛄ snowman without snow
🌍 earth globe europe africa
🌎 earth globe americas
🌏 earth globe asia australia
`),
  },
  {
    name: "Things",
    emoji: read(`
💻 personal computer
💼 briefcase
💽 minidisc
💾 floppy disk
💿 optical disc
📀 dvd
📁 file folder
📂 open file folder
📃 page curl
📄 page facing up
📅 calendar
📆 tear off calendar
📇 card index
📈 chart upwards trend
📉 chart downwards trend
📊 bar chart
📋 clipboard
📌 pushpin
📍 round pushpin
📎 paperclip
📖 open book
📗 green book
📘 blue book
📙 orange book
📚 books
📣 cheering megaphone
📤 outbox tray
📥 inbox tray
📦 package
📱 mobile phone
📷 camera
🔊 speaker three sound waves
🔋 battery
🔌 electric plug
🔍 left pointing magnifying glass
🔑 key
🔒 lock
🔓 open lock
🔧 wrench
🔨 hammer
🔩 nut and bolt
🔪 hocho
🔫 pistol
🔬 microscope
🔭 telescope
🔮 crystal ball
🎤 microphone
🎥 movie camera
🎦 cinema
🎧 headphone
🎨 artist palette
🎩 top hat
🎪 circus tent
🎫 ticket
🎬 clapper board
🎭 performing arts
🎮 video game
🎯 direct hit
🎰 slot machine
🎱 billiards
🎲 game die
🎳 bowling
🎴 flower playing cards
🎵 musical note
🎶 multiple musical notes
🎷 saxophone
🎸 guitar
🎹 musical keyboard
🎺 trumpet
🎻 violin
🎼 musical score
🎽 running shirt sash
🎾 tennis racquet and ball
🏀 basketball and hoop
🏆 trophy
🎁 wrapped present
🎂 birthday cake
🎃 jack o lantern
🎄 christmas tree
🎅 father christmas
🎆 fireworks
🎇 firework sparkler
🎈 balloon
🚀 rocket ship launch
🚁 helicopter
🚂 steam locomotive
🚃 railway car
🚄 high speed train
🚅 high speed train bullet nose
🚆 train
🚇 metro
🚈 light rail
🚉 station
🚊 tram
🚋 tram car
🚌 bus
🚍 oncoming bus
🚎 trolleybus
🚏 bus stop
🚐 minibus
🚑 ambulance
🚒 fire engine
🚓 police car
🚔 oncoming police car
🚕 taxi
🚖 oncoming taxi
🚗 automobile
🚲 bicycle
✈️ airplane
🏠 house building
🏡 house garden
🏢 office building
🏣 japanese post office
🏤 european post office
🏥 hospital
🏦 bank
🏧 automated teller machine
🏨 hotel
⚽ soccer ball
⚾ baseball
🧠 brain
🧹 broom
🧺 basket
🧻 roll of paper
🧼 bar of soap
🧽 sponge
🧾 receipt
🧿 nazar amulet
💡 electric light bulb idea
💰 money bag
💱 currency exchange
💲 heavy dollar
💳 credit card
💴 banknote yen
💵 banknote dollar
💶 banknote euro
💷 banknote pound
💸 money wings
`),
  },
];
